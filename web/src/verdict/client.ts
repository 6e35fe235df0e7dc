/** The page's side of the worker that judges. */

import source from "packed:./worker";

import { startWorker } from "../worker";
import type { Rows } from "./contest";
import type { Answer, Ask } from "./messages";

type Question = Omit<Extract<Ask, { kind: "judge" }>, "kind" | "number">;

/** Asks the worker one question at a time; of those that wait, only the last one counts. */
export class Judge {
  private worker: Promise<Worker> | null = null;
  private busy = false;
  private waiting: Ask | null = null;
  private number = 0;

  constructor(
    private readonly rows: Rows,
    private readonly told: (answer: Answer) => void,
    private readonly failed: () => void,
  ) {}

  /** Asks a question, whose answer has the number that is returned. */
  ask(question: Question): number {
    const ask: Ask = { kind: "judge", number: ++this.number, ...question };
    if (this.busy) this.waiting = ask;
    else this.send(ask);
    return this.number;
  }

  private send(ask: Ask): void {
    this.busy = true;
    this.worker ??= this.started();
    this.worker.then(
      (worker) => worker.postMessage(ask),
      () => this.failed(),
    );
  }

  private async started(): Promise<Worker> {
    const worker = await startWorker(source);
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      this.busy = false;
      if (this.waiting) {
        const next = this.waiting;
        this.waiting = null;
        this.send(next);
      } else this.told(data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.failed();
    });
    const rows: Ask = { kind: "rows", rows: this.rows };
    worker.postMessage(rows);
    return worker;
  }
}
