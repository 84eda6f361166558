// Each search can be stopped by itself or with all others. The signal of all others keeps what each one would do.
const all = new AbortController();
class Search {
  constructor() {
    this.own = new AbortController();
    this.results = document.body.appendChild(document.createElement("ul"));
    this.results.innerHTML = "<li>one<li>two";
    const either = AbortSignal.any([this.own.signal, all.signal]);
    either.addEventListener("abort", () => this.results.classList.add("stopped"));
  }
  close() {
    this.results.remove();
    if (repaired) this.own.abort();
  }
}
window.round = async () => {
  const search = new Search();
  await nextFrame();
  search.close();
};
