import { type Answer, answer, type Answered, type Pages } from "./answers.ts"
import { readCall } from "./call.ts"
import { isRecord } from "./json.ts"
import { readOperation } from "./operation.ts"
import type { Settings } from "./options.ts"
import { pages } from "./pages.ts"
import { send } from "./send.ts"

export type Method = (...args: ReadonlyArray<unknown>) => Answer<unknown> | Pages<unknown, unknown>

const bodyOf = (result: Answered<unknown>) => ({ ...result, data: isRecord(result.data) ? result.data : {} })

export const makeMethod = (text: string, settings: Settings): Method => {
  const operation = readOperation(text)
  return (...args) => {
    const call = readCall(operation, args)
    if (operation.kind === "pages") {
      const read = async (query: Readonly<Record<string, unknown>>) =>
        bodyOf(await send(operation, { ...call, query }, settings))
      return pages(read, call.query)
    }
    const sent = send(operation, call, settings)
    if (operation.kind !== "data") return answer(sent)
    return answer(sent.then((result) => ({ ...result, data: bodyOf(result).data["data"] })))
  }
}
