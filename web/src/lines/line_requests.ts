// Requests for lines: cards that ask for the same with different tags share one request.

import type { Client } from "../api/client";
import type { Columns } from "../api/columns";
import { BatchQueue } from "../base/batch_queue";
import type { Question } from "./card_model";

type Body = Question["body"];

export class LineRequests {
  readonly #queue: BatchQueue<Body, Columns>;

  constructor(client: Pick<Client, "lines" | "bands">) {
    this.#queue = new BatchQueue(async (bodies, signal) => {
      const [first] = bodies;
      if (!first) return [];
      const tags = [...new Set(bodies.flatMap((body) => body.query.tags))];
      const columns = await (first.kind === "bands"
        ? client.bands({ ...first.query, tags }, signal)
        : client.lines({ ...first.query, tags }, signal));
      return bodies.length === 1 ? [columns] : bodies.map((body) => partOf(columns, body.query.tags));
    });
  }

  /** `place`: how far the card is from the top of the page. */
  send(question: Question, place: () => number, signal: AbortSignal): Promise<Columns> {
    return this.#queue.run(
      question.body,
      question.batchKey,
      question.runs.names.length * question.body.query.tags.length,
      place,
      signal,
    );
  }
}

function partOf(columns: Columns, tags: readonly string[]): Columns {
  const wanted = new Set(tags);
  return { generation: columns.generation, lines: columns.lines.filter((line) => wanted.has(line.tag)) };
}
