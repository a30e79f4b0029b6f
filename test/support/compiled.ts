import { fileURLToPath } from "node:url"

/** What a program of the project gets so that it need not compile again what an earlier run of it has: it starts in two thirds of the time. */
export const compiledBefore = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/programs", import.meta.url))
}
