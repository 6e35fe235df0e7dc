/** Workers, whose code is part of the page: deflated, because it takes up a quarter of it. */

/** Starts the worker whose text was imported from `packed:`. */
export async function startWorker(packed: string): Promise<Worker> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = await new Response(stream).text();
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}
