// What BLEU and chrF saw, counted here as they explain a segment: of any segment and system, and without data for it.
const BLANK = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u;
const RULES_13A = [[/([{-~\[-` -&(-+:-@/])/gu, " $1 "], [/([^0-9])([.,])/gu, "$1 $2 "], [/([.,])([^0-9])/gu, " $1 $2"], [/([0-9])(-)/gu, "$1 $2 "]];
const ESCAPED = [["<skipped>", ""], ["&quot;", '"'], ["&amp;", "&"], ["&lt;", "<"], ["&gt;", ">"]];
const REACH = 40; // characters that the tokeniser may have changed or left out between two words

function countedSeen({unit, order, beta}, i, s) {
  const gold = Object.values(D.references).map((lines) => lines[i]).filter((text) => text !== null);
  const [own, ...others] = [D.outputs[s][i], ...gold].map(unit === "word" ? wordsOf : charactersOf);
  const sizes = others.map((other) => longestMatches(own, other, order));
  const worth = others.length === 1 ? [0] : unit === "word" ? sizes.map((each) => each.reduce((sum, size) => sum + size, 0))
    : others.map((other) => chrF(own, other, order, beta));
  const best = worth.indexOf(Math.max(...worth)), partner = unit === "word" ? others[best] : [];
  const both = {output: sizes[best], other: longestMatches(partner, own, order)};
  return {against: best, parts: [{kind: "matches", output: own, other: partner, sizes: both, largest: order, label: "{}-gram"}]};
}

// Each piece with its place in code points.
const charactersOf = (text) => Array.from(text).map((character, k) => [character, k, k + 1]).filter(([character]) => !BLANK.test(character));

function wordsOf(text) {
  let split = ESCAPED.reduce((left, [from, to]) => left.replaceAll(from, to), text);
  split = RULES_13A.reduce((left, [rule, to]) => left.replace(rule, to), ` ${split} `);
  const lowered = text.toLowerCase(), plain = lowered.length !== text.length, point = pointsOf(text);
  let position = 0;
  return split.split(BLANK).filter((word) => word).map((word) => {
    const key = plain ? word : word.toLowerCase(), at = (plain ? text : lowered).indexOf(key, position);
    if (at < 0 || at - position > REACH) return [word, null, null];
    position = at + key.length;
    return [word, point(at), point(position)];
  });
}

// From the number of a UTF-16 unit to that of its code point.
function pointsOf(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (position) => position;
  const places = Array.from(text).flatMap((character, k) => Array(character.length).fill(k));
  return (position) => places[position] ?? places.at(-1) + 1;
}

const gramsOf = (pieces, n) => pieces.slice(n - 1).map((_, k) => pieces.slice(k, k + n).map(([piece]) => piece).join("\0"));

// For each piece the length of the longest n-gram around it that the other text has.
function longestMatches(own, other, order) {
  const sizes = own.map(() => 0);
  for (let n = 1; n <= order; n++) {
    const known = new Set(gramsOf(other, n)), found = gramsOf(own, n).flatMap((gram, k) => known.has(gram) ? [k] : []);
    if (!found.length) break;
    for (const k of found) sizes.fill(n, k, k + n);
  }
  return sizes;
}

// In sacreBLEU's order of operations: the best reference depends on ties.
function chrF(own, other, order, beta) {
  let precision = 0, recall = 0, orders = 0;
  for (let n = 1; n <= order; n++) {
    const grams = gramsOf(own, n), known = gramsOf(other, n), left = new Map();
    if (!grams.length || !known.length) continue;
    for (const gram of known) left.set(gram, (left.get(gram) ?? 0) + 1);
    const matches = grams.filter((gram) => left.get(gram) > 0 && left.set(gram, left.get(gram) - 1)).length;
    [precision, recall, orders] = [precision + matches / grams.length, recall + matches / known.length, orders + 1];
  }
  [precision, recall] = [precision / Math.max(orders, 1), recall / Math.max(orders, 1)];
  return precision + recall > 0 ? 100 * ((1 + beta ** 2) * precision * recall / (beta ** 2 * precision + recall)) : 0;
}
