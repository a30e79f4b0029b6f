import { useState } from "preact/hooks"
import { useCan } from "../me.ts"
import { duplicate } from "./openers.ts"
import { copyMissing, duplicateFor, duplicatePost } from "./copy.ts"

/** Copies of posts to drafts. The functions are undefined if the person's role can't copy. */
export const useCopy = () => {
  const mayCopy = useCan()(duplicate.scope)
  const [isPending, setPending] = useState(false)
  const track = <A extends ReadonlyArray<unknown>>(copy: (...args: A) => Promise<void>) =>
    mayCopy
      ? async (...args: A) => {
          setPending(true)
          await copy(...args)
          setPending(false)
        }
      : undefined
  return {
    duplicate: track(duplicatePost),
    duplicateFor: track(duplicateFor),
    copyMissing: track(copyMissing),
    isPending
  }
}
