// uses: angular/angular.min.js
// A service listens to the root scope for every editor, and never stops.
const injector = angular.injector(["ng"]);
const $rootScope = injector.get("$rootScope");
function openEditor() {
  const editor = document.createElement("fieldset");
  editor.innerHTML = "<textarea></textarea><button>Save</button>";
  document.body.append(editor);
  const stop = $rootScope.$on("saved", () => editor.classList.add("saved"));
  return () => {
    editor.remove();
    if (repaired) stop();
  };
}
window.round = async () => {
  const close = openEditor();
  $rootScope.$emit("saved");
  await nextFrame();
  close();
};
