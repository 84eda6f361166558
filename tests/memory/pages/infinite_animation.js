// Spinners turn for ever, also when they are gone: somebody waits for the end of the animation.
function showSpinner() {
  const spinner = document.body.appendChild(document.createElement("div"));
  spinner.innerHTML = "<i></i><i></i>";
  const turning = spinner.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 1000, iterations: Infinity });
  turning.addEventListener("finish", () => spinner.classList.add("done"));
  return () => {
    spinner.remove();
    if (repaired) turning.cancel();
  };
}
window.round = async () => {
  const hide = showSpinner();
  await nextFrame();
  hide();
};
