// Mark errors in texts with the mouse, by touch or with the keyboard.
//
// The texts are editable elements whose input events are cancelled, so that the cursor and the selection work as in an
// editor, but the text does not change. Positions are stored in code points, while JavaScript counts UTF-16 units.
// Marks begin and end at grapheme boundaries, so that no emoji and no letter with its accents is divided.
"use strict";

const Places = (() => {
  const segmenter = Intl.Segmenter ? new Intl.Segmenter(undefined, {granularity: "grapheme"}) : null;

  function borders(text) {
    const found = [];
    if (segmenter) {
      for (const part of segmenter.segment(text)) found.push(part.index);
    } else {
      let at = 0;
      for (const point of text) {
        if (!/^[\p{M}\u200c\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]/u.test(point)) found.push(at);
        at += point.length;
      }
    }
    found.push(text.length);
    return found;
  }

  return {
    points: (text, units) => Array.from(text.slice(0, units)).length,
    units: (text, points) => Array.from(text).slice(0, points).join("").length,
    // Convert a range from UTF-16 units to code points, without spaces at its ends and extended to whole graphemes.
    span(text, start, end) {
      if (text.slice(start, end).trim()) {
        while (/\s/.test(text[start])) start += 1;
        while (/\s/.test(text[end - 1])) end -= 1;
      }
      const all = borders(text);
      start = Math.max(...all.filter(at => at <= start));
      end = Math.min(...all.filter(at => at >= end));
      return {start: this.points(text, start), end: this.points(text, end)};
    },
  };
})();

class Marker {
  // fields: [{element, text, in_source}]; list: where errors are listed; changed: called after every change;
  // say: shows a message.
  constructor({fields, list, severities, categories, changed, say}) {
    Object.assign(this, {fields, list, severities, categories, changed, say, spans: [], chosen: null});
    for (const field of fields) {
      const element = field.element;
      element.contentEditable = "true";
      element.spellcheck = false;
      element.inputMode = "none"; // no on-screen keyboard on phones
      for (const [name, value] of [["role", "textbox"], ["aria-readonly", "true"], ["aria-multiline", "true"],
        ["autocorrect", "off"], ["autocapitalize", "off"], ["aria-describedby", "question"],
        ["aria-labelledby", element.closest("section").getAttribute("aria-labelledby")]]) {
        element.setAttribute(name, value);
      }
      element.addEventListener("beforeinput", event => event.preventDefault());
      element.addEventListener("compositionend", () => this.draw()); // removes text that an input method inserted
      element.addEventListener("dragstart", event => event.preventDefault());
    }
    document.addEventListener("selectionchange", () => this.remember());
  }

  show(texts, spans) {
    this.fields.forEach((field, at) => { field.text = texts[at] ?? ""; });
    this.spans = spans.map(span => ({category: "", in_source: false, ...span}));
    this.chosen = null;
    this.draw();
    this.drawList();
  }

  field(in_source) {
    return this.fields.find(field => field.in_source === in_source);
  }

  remember() {
    const selection = getSelection();
    if (!selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    const field = this.fields.find(one => one.element.contains(selection.anchorNode));
    if (field) this.chosen = {field, start: this.offset(field, range, true), end: this.offset(field, range, false)};
  }

  // Return the position of one end of a range in the field's text, in UTF-16 units. The end may be outside the text.
  offset(field, range, atStart) {
    const node = atStart ? range.startContainer : range.endContainer;
    if (!field.element.contains(node)) return atStart ? 0 : field.text.length;
    const before = document.createRange();
    before.selectNodeContents(field.element);
    before.setEnd(node, atStart ? range.startOffset : range.endOffset);
    return Math.min(before.toString().length, field.text.length);
  }

  mark(severity) {
    this.remember(); // the browser reports a selection with a delay
    if (!this.chosen || this.chosen.start === this.chosen.end) {
      this.say("Select the wrong words first.");
      return;
    }
    const {field, start, end} = this.chosen;
    const place = Places.span(field.text, start, end);
    const same = this.spans.find(span => span.start === place.start && span.end === place.end
      && span.in_source === field.in_source);
    if (same) same.severity = severity;
    else this.spans.push({...place, severity, category: "", in_source: field.in_source});
    this.done(same ?? this.spans.at(-1), field, place.end);
  }

  // Mark an omission, at the selected words of the source or without a position.
  markMissing() {
    this.remember();
    const severity = this.severities.at(-1);
    const category = this.categories.find(name => /omission|missing/i.test(name)) ?? "";
    const chosen = this.chosen;
    let place = {start: null, end: null}, in_source = false;
    if (chosen && chosen.field.in_source && chosen.start < chosen.end) {
      place = Places.span(chosen.field.text, chosen.start, chosen.end);
      in_source = true;
    }
    this.spans.push({...place, severity, category, in_source});
    this.done(this.spans.at(-1), in_source ? chosen.field : this.field(false), place.end ?? 0);
  }

  done(span, field, caret) {
    this.draw();
    this.drawList();
    this.changed();
    const choice = this.categories.length && !span.category && this.list.querySelector(
      `[data-number="${this.spans.indexOf(span)}"] .category`);
    if (choice) {
      this.back = {field, caret};
      choice.focus();
    } else this.caret(field, caret);
  }

  // Remove the shortest mark around the cursor.
  removeHere() {
    this.remember();
    if (!this.chosen) return;
    const {field, start} = this.chosen;
    const at = Places.points(field.text, start);
    const around = this.spans.filter(span => span.in_source === field.in_source && span.start !== null
      && span.start <= at && at <= span.end);
    around.sort((a, b) => (a.end - a.start) - (b.end - b.start));
    if (around.length) this.remove(around[0]);
  }

  remove(span) {
    const field = this.field(span.in_source);
    this.spans.splice(this.spans.indexOf(span), 1);
    this.draw();
    this.drawList();
    this.changed();
    this.caret(field, span.start ?? 0);
  }

  caret(field, points) {
    field.element.focus({preventScroll: true});
    let left = Places.units(field.text, points);
    const walker = document.createTreeWalker(field.element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (left <= node.length) {
        getSelection().collapse(node, left);
        this.reveal();
        return;
      }
      left -= node.length;
    }
  }

  // Scroll to the cursor. The controls at the lower end of the window may cover a long text.
  reveal() {
    const box = getSelection().getRangeAt(0).getBoundingClientRect();
    const floor = document.querySelector(".controls").getBoundingClientRect().top;
    if (box.height && (box.top < 0 || box.bottom > floor)) scrollBy(0, box.top - floor / 2);
  }

  level(severity) {
    return this.severities.indexOf(severity) + 3 - this.severities.length;
  }

  draw() {
    for (const field of this.fields) {
      const here = this.spans.filter(span => span.in_source === field.in_source && span.start !== null)
        .map(span => ({...span, start: Places.units(field.text, span.start), end: Places.units(field.text, span.end)}));
      const cuts = [...new Set([0, field.text.length, ...here.flatMap(span => [span.start, span.end])])];
      cuts.sort((a, b) => a - b);
      const parts = cuts.slice(1).map((end, at) => {
        const text = document.createTextNode(field.text.slice(cuts[at], end));
        const over = here.filter(span => span.start <= cuts[at] && span.end >= end);
        if (!over.length) return text;
        const mark = document.createElement("mark");
        mark.className = `level${Math.max(...over.map(span => this.level(span.severity)))}`;
        mark.title = over.map(span => [span.severity, span.category].filter(Boolean).join(", ")).join("; ");
        mark.append(text);
        return mark;
      });
      field.element.replaceChildren(...parts);
    }
  }

  drawList() {
    this.list.replaceChildren(...this.spans.map((span, number) => {
      const entry = document.createElement("li");
      entry.dataset.number = number;
      const text = document.createElement("span");
      text.className = `quoted level${this.level(span.severity)}`;
      const field = this.field(span.in_source);
      text.textContent = span.start === null ? "(missing)"
        : Array.from(field.text).slice(span.start, span.end).join("");
      if (span.start !== null) {
        text.lang = field.element.lang;
        text.dir = "auto";
      }
      const where = document.createElement("span");
      where.className = "soft";
      where.textContent = span.in_source ? "in the source" : "";
      const remove = document.createElement("button");
      remove.type = "button";
      remove.textContent = "Remove";
      remove.setAttribute("aria-label", `Remove the mark of ${text.textContent}`);
      remove.addEventListener("click", () => this.remove(span));
      entry.append(text, where, this.choice(span, "severity", this.severities.map(name => [name])));
      if (this.categories.length) entry.append(this.choice(span, "category", this.groups()));
      entry.append(remove);
      return entry;
    }));
  }

  // "Accuracy/Omission" is shown as Omission in the group Accuracy.
  groups() {
    const groups = new Map();
    for (const name of this.categories) {
      const [head, ...rest] = name.split("/");
      const group = rest.length ? head : "";
      groups.set(group, [...(groups.get(group) ?? []), [name, rest.join("/") || name]]);
    }
    return [["", "– category –"], ...(groups.get("") ?? []),
      ...[...groups].filter(([group]) => group).map(([group, options]) => ({group, options}))];
  }

  choice(span, part, options) {
    const select = document.createElement("select");
    select.className = part;
    select.setAttribute("aria-label", `${part} of this error`);
    const option = ([value, label]) => {
      const made = document.createElement("option");
      made.value = value;
      made.textContent = label ?? value;
      return made;
    };
    for (const one of options) {
      if (!one.group) select.append(option(one));
      else {
        const group = document.createElement("optgroup");
        group.label = one.group;
        group.append(...one.options.map(option));
        select.append(group);
      }
    }
    select.value = span[part];
    select.addEventListener("change", () => {
      span[part] = select.value;
      this.draw();
      if (part === "severity") {
        this.drawList();
        this.list.querySelector(`[data-number="${this.spans.indexOf(span)}"] .severity`).focus();
      }
      this.changed();
    });
    select.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      const {field, caret} = this.back ?? {field: this.field(span.in_source), caret: span.end ?? 0};
      this.back = null;
      this.caret(field, caret);
    });
    return select;
  }
}
