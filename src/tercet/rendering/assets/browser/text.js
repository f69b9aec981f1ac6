// Differences between texts by words; by characters where a script has no spaces between words.
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const TOKEN = new RegExp(`[${UNSPACED}]\\p{M}*|[\\p{L}\\p{M}\\p{N}](?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}]|['’.,\\-](?=[\\p{L}\\p{N}])(?![${UNSPACED}]))*|\\s+|[^]`, "gu");
const CELLS = 4e6; // of a table of two texts; longer texts are compared as bags of words

const tokens = (text) => text.match(TOKEN) ?? [];
const isBlank = (token) => /^\s+$/u.test(token);

// Which tokens of `words` belong to a longest common subsequence with `others`.
function common(words, others) {
  const n = words.length, m = others.length, found = new Uint8Array(n);
  if (n * m > CELLS) {
    const left = new Map();
    for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
    words.forEach((word, i) => { if (left.get(word) > 0) { found[i] = 1; left.set(word, left.get(word) - 1); } });
    return found;
  }
  let start = 0, end = 0;
  while (start < Math.min(n, m) && words[start] === others[start]) found[start++] = 1;
  while (end < Math.min(n, m) - start && words[n - 1 - end] === others[m - 1 - end]) found[n - 1 - end++] = 1;
  const rows = n - start - end, columns = m - start - end, width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] = words[start + i] === others[start + j] ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (words[start + i] === others[start + j]) { found[start + i] = 1; i++; j++; }
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i++;
    else j++;
  }
  return found;
}

// The classes of words of a text, given the text that it is compared with (or null) and the references.
// right: only here, and in a reference. wrong: only here, and in no reference. foreign: in no reference.
function classes(text, other, references) {
  const words = tokens(text), solid = words.map((word, i) => isBlank(word) ? -1 : i).filter((i) => i >= 0);
  const own = solid.map((i) => words[i]), solidOf = (given) => tokens(given).filter((word) => !isBlank(word));
  const shared = other === null ? null : common(own, solidOf(other));
  const right = new Uint8Array(own.length);
  for (const reference of references) common(own, solidOf(reference)).forEach((hit, i) => { right[i] |= hit; });
  const kinds = words.map(() => "");
  solid.forEach((at, i) => {
    const differs = shared !== null && !shared[i];
    if (!references.length) kinds[at] = differs ? "wrong" : "";
    else kinds[at] = differs ? (right[i] ? "right" : "wrong") : right[i] ? "" : "foreign";
  });
  return {words, kinds};
}

// Spans of text with marks; neighbouring words of one kind share a mark. `pattern` marks what a search has found.
function marked(text, kinds, words, pattern) {
  const nodes = [];
  const plain = (piece) => pattern ? highlighted(piece, pattern) : [piece];
  for (let i = 0; i < words.length;) {
    let j = i + 1, piece = words[i];
    const kind = kinds[i];
    while (j < words.length && (kinds[j] === kind || (kind && isBlank(words[j]) && kinds[j + 1] === kind))) piece += words[j++];
    nodes.push(...(kind ? [el("mark", {class: kind}, plain(piece))] : plain(piece)));
    i = j;
  }
  return nodes;
}

function highlighted(text, pattern) {
  const nodes = [];
  let last = 0;
  for (const hit of text.matchAll(pattern)) {
    if (!hit[0]) continue;
    nodes.push(text.slice(last, hit.index), el("mark", {class: "found"}, hit[0]));
    last = hit.index + hit[0].length;
  }
  return [...nodes, text.slice(last)];
}

// A search: plain text, or a regular expression between slashes. Null if there is none; the error if it is none.
function searchPattern(query) {
  if (!query) return null;
  const regex = /^\/(.+)\/([ims]*)$/.exec(query);
  try {
    return new RegExp(regex ? regex[1] : query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), `g${regex ? regex[2] : "i"}u`.replace(/(.)(?=.*\1)/g, ""));
  } catch (error) {
    return error;
  }
}
