/** Text that was deflated, and written in base 85. */

import { bytesOf } from "./base85";

export function inflated(packed: string): Promise<string> {
  const stream = new Blob([bytesOf(packed)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}
