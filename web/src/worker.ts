/** Workers, whose code is part of the page: deflated, because it takes up a quarter of it. */

import { inflated } from "./inflating";

/** Starts the worker whose text was imported from `packed:`. */
export async function startWorker(packed: string): Promise<Worker> {
  const text = await inflated(packed);
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}
