// Searching texts: all words, in any case, with or without accents.

const _MARKS = /[\u0300-\u036f]+/g;

/** A text as it is compared. */
const folded = (text) => text.normalize("NFKD").replace(_MARKS, "").toLowerCase().replaceAll("ß", "ss");

/** What a search asks for: `wanted` and `unwanted` pieces of text, folded. */
function readQuery(text) {
  const query = { wanted: [], unwanted: [] };
  for (const [, minus, phrase, word] of text.matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g)) {
    const piece = folded((phrase ?? word).trim());
    if (piece) (minus ? query.unwanted : query.wanted).push(piece);
  }
  return query;
}

const isAsked = (query) => query.wanted.length + query.unwanted.length > 0;

function answers(query, text) {
  return query.wanted.every((piece) => text.includes(piece)) && !query.unwanted.some((piece) => text.includes(piece));
}

/** All in a memory that is searched, folded once. */
function searchedText(memory) {
  memory.searched ??= folded(
    [memory.text, memory.more, ...(memory.tags ?? []).map((tag) => `#${tag}`), memory.session, memory.id]
      .filter(Boolean)
      .join("\n"),
  );
  return memory.searched;
}

/** Nodes of a text in which the pieces that were asked for are marked. */
function marked(text, pieces) {
  if (!pieces.length) return [text];
  // Of each unit of the folded text, where it stands in the text as it is.
  let plain = "";
  const places = [];
  let place = 0;
  for (const sign of text) {
    const fold = folded(sign);
    for (let unit = 0; unit < fold.length; unit++) places.push(place);
    plain += fold;
    place += sign.length;
  }
  places.push(text.length);
  const spans = [];
  for (const piece of pieces) {
    for (let at = plain.indexOf(piece); at >= 0; at = plain.indexOf(piece, at + piece.length)) {
      spans.push([places[at], places[at + piece.length]]);
    }
  }
  spans.sort((one, other) => one[0] - other[0]);
  const nodes = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (start < done || end <= start) continue;
    nodes.push(text.slice(done, start), element("mark", { textContent: text.slice(start, end) }));
    done = end;
  }
  nodes.push(text.slice(done));
  return nodes;
}
