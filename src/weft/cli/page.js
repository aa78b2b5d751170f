"use strict";
const frames = document.getElementById("frames");
const folds = [...frames.querySelectorAll(".fold")];
const rows = [...frames.querySelectorAll("article")];
const find = document.getElementById("find");
const found = document.getElementById("found");

function openFolds(open) {
  for (const fold of folds) fold.open = open;
}

function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  const fold = target.closest("details");
  if (fold && !fold.open) {
    fold.open = true;
    target.scrollIntoView();
  }
}

function search() {
  const word = find.value.trim().toLowerCase();
  let hits = 0;
  for (const row of rows) {
    row.hidden = word !== "" && !row.textContent.toLowerCase().includes(word);
    hits += !row.hidden;
  }
  for (const fold of folds) {
    fold.hidden = !fold.querySelector("article:not([hidden])");
    fold.open = word !== "" && !fold.hidden;
  }
  found.textContent = word === "" ? "" : `${hits.toLocaleString()} of ${rows.length.toLocaleString()} frames`;
}

let waiting;
find.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 150);
});
for (const button of frames.querySelectorAll("[data-open]")) {
  button.addEventListener("click", () => openFolds(button.dataset.open === "yes"));
}
addEventListener("hashchange", reveal);
reveal();
