/**
 * Keeps the process running where what reads its output has gone, such as `head` or a collector of logs, or its disk is full. Node
 * would end it for that. Each write fails by itself, so lines reach a reader that comes back.
 */
export const surviveClosedOutput = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}
