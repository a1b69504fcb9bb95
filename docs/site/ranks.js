/* How the search ranks: guides first; the past, and what is for those who work on mbconcord, last. The other numbers are Sphinx's own. */
const LAST = /^(CHANGELOG|CONTRIBUTING|tests\/|docs\/(architecture|decisions\/|style))/;

var Scorer = {
  score: ([docname, _title, _anchor, _descr, score]) => score - (LAST.test(docname) ? 100 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
