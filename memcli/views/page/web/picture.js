// The page of a graph alone.

const graph = makeGraph();
const show = () => {
  byId("status").textContent = graph.show(readQuery(byId("query").value).wanted);
};
offerSearch(show);
offerThemes(graph.recolour);
document.documentElement.classList.add("ready");
show();
