// uses: axios/dist/axios.min.js
// Every form adds an interceptor of its own to the client that all share.
const client = axios.create({ baseURL: "/api" });
class Form {
  constructor() {
    this.element = document.createElement("form");
    this.element.innerHTML = "<input><button>Send</button>";
    document.body.append(this.element);
    this.interceptor = client.interceptors.response.use((response) => {
      this.element.classList.remove("busy");
      return response;
    });
  }
  remove() {
    this.element.remove();
    if (repaired) client.interceptors.response.eject(this.interceptor);
  }
}
window.round = async () => {
  const form = new Form();
  await nextFrame();
  form.remove();
};
