"use strict";
(function () {
  const data = JSON.parse(document.getElementById("bars").textContent);
  const bars = data.bars;
  const slider = document.getElementById("turn");
  const panel = document.getElementById("detail");
  if (!slider || !panel || !bars.length) return;

  const scroll = document.getElementById("scroll");
  const fields = [...scroll.querySelectorAll(".row:not(.axis):not(.scrub) > .field")];
  const title = panel.querySelector("h3");
  const list = panel.querySelector("dl");
  const moved = panel.querySelector(".moved-here");
  const counts = [...document.querySelectorAll("output[data-part]")];
  const steps = [...panel.querySelectorAll("[data-step]")];
  const cursors = fields.map((field) => {
    const line = document.createElement("span");
    line.className = "cursor";
    line.style.width = 100 / bars.length + "%";
    field.append(line);
    return line;
  });
  let shown = -1;

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function nextMove(step) {
    for (let index = shown + step; index >= 0 && index < bars.length; index += step) if (bars[index][5]) return index;
    return -1;
  }

  function show(index) {
    if (index === shown || index < 0 || index >= bars.length) return;
    shown = index;
    const [name, spoken, facts, parts, moves] = bars[index];
    title.textContent = name;
    list.replaceChildren(...facts.map(([key, value]) => {
      const pair = document.createElement("div");
      pair.append(element("dt", key), element("dd", value));
      return pair;
    }));
    moved.replaceChildren(...moves.map(([number, words]) => {
      const item = document.createElement("li");
      const link = element("a", words);
      link.href = "#move-" + number;
      item.append(link);
      return item;
    }));
    counts.forEach((output) => { output.textContent = parts[Number(output.dataset.part)]; });
    cursors.forEach((line) => { line.style.left = (100 * index) / bars.length + "%"; });
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", spoken);
    steps.forEach((button) => { button.disabled = nextMove(Number(button.dataset.step)) < 0; });
  }

  function keepInView() {
    const line = cursors[0].getBoundingClientRect();
    const frame = scroll.getBoundingClientRect();
    if (line.left < frame.left + 60 || line.right > frame.right) scroll.scrollLeft += line.left - frame.left - frame.width / 2;
  }

  fields.forEach((field) => {
    const point = (event) => {
      const box = field.getBoundingClientRect();
      const place = Math.floor(((event.clientX - box.left) / box.width) * bars.length);
      show(Math.min(Math.max(place, 0), bars.length - 1));
    };
    field.addEventListener("pointermove", point);
    field.addEventListener("pointerdown", point);
  });
  slider.addEventListener("input", () => { show(Number(slider.value)); keepInView(); });
  slider.addEventListener("keydown", (event) => {
    if (event.key === "n" || event.key === "p") { show(nextMove(event.key === "n" ? 1 : -1)); keepInView(); }
  });
  steps.forEach((button) => button.addEventListener("click", () => { show(nextMove(Number(button.dataset.step))); keepInView(); }));

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy command"; }, 1500); };
    const byHand = () => {
      const box = element("textarea", button.dataset.copy);
      box.className = "unseen";
      document.body.append(box);
      box.select();
      const copied = document.execCommand("copy");
      box.remove();
      button.focus();
      if (copied) done(); else button.textContent = button.dataset.copy;
    };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(button.dataset.copy).then(done, byHand);
    else byHand();
  });

  document.querySelectorAll(".hit > title").forEach((tip) => tip.remove());
  document.querySelectorAll(".scrub, .steps, .copy, .keys").forEach((part) => { part.hidden = false; });
  show(data.shown);
})();
