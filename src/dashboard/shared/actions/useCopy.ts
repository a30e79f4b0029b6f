import { useState } from "preact/hooks"
import { useCan } from "../me.ts"
import { copy, duplicatePost } from "./copy.ts"
import { duplicate } from "./openers.ts"

/** Its functions are undefined if the person's role can't copy posts. */
export const useCopy = () => {
  const mayCopy = useCan()(duplicate.scope)
  const [isPending, setPending] = useState(false)
  const track = <A extends ReadonlyArray<unknown>>(run: (...args: A) => Promise<void>) =>
    mayCopy
      ? async (...args: A) => {
          setPending(true)
          await run(...args)
          setPending(false)
        }
      : undefined
  return { copy: track(copy), duplicate: track(duplicatePost), isPending }
}
