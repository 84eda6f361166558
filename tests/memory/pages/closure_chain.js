// Every handler keeps the one before it, through a scope that both share.
let current = null;
function replaceHandler() {
  const previous = current;
  const describe = () => (previous ? "replaced" : "first");
  const payload = new Array(2000).fill("*");
  current = { payload, handle: () => "handled" };
  if (repaired) current = { payload, handle: handled };
  else current.describe = describe;
}
function handled() {
  return "handled";
}
window.round = async () => {
  replaceHandler();
  await nextFrame();
};
