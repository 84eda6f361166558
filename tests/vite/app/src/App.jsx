import { useEffect, useState } from "react";
import Banner from "./Banner.jsx";
import Cart from "./Cart.jsx";
import Feed from "./Feed.jsx";
import Logo from "./Logo.jsx";
import Prices from "./Prices.jsx";
import Reports from "./Reports.jsx";
import Save from "./Save.jsx";

function Link({ to, go, children }) {
  const follow = (event) => {
    event.preventDefault();
    history.pushState(null, "", to);
    go(to);
  };
  return (
    <a href={to} onClick={follow}>
      {children}
    </a>
  );
}

export default function App() {
  const [path, go] = useState(location.pathname);
  useEffect(() => {
    document.body.dataset.ready = "yes";
  }, []);
  return (
    <main>
      <Link to="/" go={go}>
        Home
      </Link>{" "}
      <Link to="/reports" go={go}>
        Reports
      </Link>
      <Logo />
      <Banner />
      <Feed />
      <Cart />
      <Save />
      <Prices />
      {path === "/reports" ? <Reports /> : null}
    </main>
  );
}
