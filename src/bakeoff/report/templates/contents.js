// The contents are whole without this: it marks where the reader is.
{
  const nav = document.querySelector("nav");
  const links = [...nav.querySelectorAll("a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  let current = null;
  let waiting = false;
  const follow = () => {
    waiting = false;
    const line = innerHeight / 3;
    const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const above = targets.filter((target) => target.getBoundingClientRect().top <= line);
    const link = links[end && scrollY > 0 ? links.length - 1 : Math.max(0, above.length - 1)];
    if (link === current) return;
    current = link;
    const part = link.closest("nav > ul > li").querySelector("a");
    for (const other of links) {
      if (other === link) other.setAttribute("aria-current", "location");
      else if (other === part) other.setAttribute("aria-current", "true");
      else other.removeAttribute("aria-current");
    }
    const shown = link.offsetParent ? link : part;
    nav.scrollTo({ top: shown.offsetTop - nav.clientHeight / 2, left: shown.offsetLeft - nav.clientWidth / 2, behavior: "instant" });
  };
  const soon = () => {
    if (!waiting) requestAnimationFrame(follow);
    waiting = true;
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  follow();
}
