// What a metric saw, in the form of text/explanation.schema.json, as marks on the output and on the other text.
// A mark: {begin, end, weight: 0 to 100, label, partner: {begin, end} in the other text, or null}.
const MARKERS = {alignment: alignmentMarks, edits: editMarks, matches: matchMarks, entities: entityMarks, spans: spanMarks};

// Two lists of marks, in UTF-16 units of the two texts.
function seenMarks(seen, output, other) {
  const units = [unitsOf(output), unitsOf(other)], found = [[], []];
  for (const part of seen.parts) MARKERS[part.kind](part).forEach((marks, side) => found[side].push(...marks));
  return found.map((marks, side) => merged(marks.filter((mark) => mark.begin < mark.end).sort((a, b) => a.begin - b.begin)).map((mark) => ({
    ...mark, ...inUnits(mark, units[side]), weight: Math.round(100 * Math.min(Math.max(mark.weight, 0), 1)),
    partner: mark.partner && inUnits(mark.partner, units[1 - side]),
  })));
}

const inUnits = ({begin, end}, unit) => ({begin: unit(begin), end: unit(end)});

// From the number of a code point to that of its UTF-16 unit.
function unitsOf(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (position) => position;
  const starts = [0];
  for (const character of text) starts.push(starts.at(-1) + character.length);
  return (position) => starts[position];
}

function alignmentMarks({output, other, links, of}) {
  const found = linkedMarks(output, other, links);
  return of === "output" ? [found[0], []] : of === "other" ? [[], found[1]] : found;
}

// Words that stay weigh 1, shifted ones .5, others 0.
function editMarks({output, other, edits, shifts, moved}) {
  const shifted = new Set(shifts.flatMap((shift) => shift.positions));
  return linkedMarks(output, other, (edits ?? []).map((edit) => {
    const label = edit.kind === "match" && shifted.has(edit[moved]) ? "shift" : edit.kind;
    const [own, partner] = [edit.output, edit.other].map((position) => position === null ? [] : [position]);
    return {output: own, other: partner, weight: {match: 1, shift: 0.5}[label] ?? 0, label};
  }));
}

// Words with a place; those that no link names weigh 0.
function linkedMarks(output, other, links) {
  const sides = [output, other].map((words) => words.map(([, begin, end]) => begin === null ? null : {begin, end, weight: 0, label: "", partner: null}));
  for (const {output: first, other: second, weight, label} of links) {
    for (const [side, own, others] of [[0, first, second], [1, second, first]]) {
      const known = others.map((position) => sides[1 - side][position]).filter((mark) => mark);
      const partner = known.length ? {begin: Math.min(...known.map((mark) => mark.begin)), end: Math.max(...known.map((mark) => mark.end))} : null;
      for (const position of own) if (sides[side][position]) Object.assign(sides[side][position], {weight, label, partner});
    }
  }
  return sides.map((marks) => marks.filter((mark) => mark));
}

function matchMarks({output, other, sizes, largest, label}) {
  const mark = (words, found) => words.flatMap(([, begin, end], k) => begin === null ? [] :
    [{begin, end, weight: found[k] / largest, label: label.replace("{}", found[k]), partner: null}]);
  return [mark(output, sizes.output), mark(other, sizes.other)];
}

function entityMarks({output, other}) {
  return [output, other].map((entities) => entities.map(({begin, end, category, matched}) =>
    ({begin, end, weight: matched ? 1 : 0, label: category, partner: null})));
}

function spanMarks({output, other}) {
  return [output, other].map((spans) => spans.map((span) =>
    ({...span, partner: span.partner && {begin: span.partner[0], end: span.partner[1]}})));
}

// Neighbours of the same weight and label become one mark, if their partners are neighbours too.
function merged(marks) {
  const found = [];
  for (const mark of marks) {
    const last = found.at(-1);
    const same = last && last.end === mark.begin && last.weight === mark.weight && last.label === mark.label;
    if (same && !last.partner && !mark.partner) last.end = mark.end;
    else if (same && last.partner && mark.partner && last.partner.end === mark.partner.begin)
      Object.assign(last, {end: mark.end, partner: {begin: last.partner.begin, end: mark.partner.end}});
    else found.push({...mark});
  }
  return found;
}
