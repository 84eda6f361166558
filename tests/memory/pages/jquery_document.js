// uses: jquery/dist/jquery.min.js
// A plug-in adds handlers to the document for every dropdown.
function dropdown() {
  const $menu = $("<div class='dropdown'><a>one</a><a>two</a></div>").appendTo(document.body);
  const close = () => $menu.removeClass("open");
  $(document).on("click", close);
  return () => {
    $menu.remove();
    if (repaired) $(document).off("click", close);
  };
}
window.round = async () => {
  const remove = dropdown();
  await nextFrame();
  remove();
};
