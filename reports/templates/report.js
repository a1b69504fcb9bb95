(function () {
  var text = document.getElementById("filter"), boxes = document.querySelectorAll("[data-verdict-box]");
  if (!text) return;
  document.body.classList.add("live");
  function shown(element) {
    var box = document.querySelector('[data-verdict-box="' + element.dataset.verdict + '"]');
    return (!box || box.checked) && element.dataset.file.toLowerCase().indexOf(text.value.toLowerCase()) >= 0;
  }
  function apply() {
    document.querySelectorAll("[data-file]").forEach(function (element) { element.hidden = !shown(element); });
  }
  text.addEventListener("input", apply);
  boxes.forEach(function (box) { box.addEventListener("change", apply); });
})();
