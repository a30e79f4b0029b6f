/**
 * Keeps the process running if the reader of its output is gone, such as `head` or a log collector, or if its disk is
 * full. Node would end the process. Each write fails alone, so a reader that returns gets lines.
 */
export const surviveClosedOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}
