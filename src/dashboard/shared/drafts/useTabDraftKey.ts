import { useEffect, useState } from "preact/hooks"
import { readStored, writeStored } from "../../store/browserStorage.ts"
import { useMe } from "../me.ts"
import { prefix, read } from "./keptDrafts.ts"

// Each open tab has a draft of its own: `base`, `base:2` and so on. The tab holds the Web Lock of that name until it is
// closed, so a draft without a lock belongs to a closed tab. After a reload, `sessionStorage` still has the name of the
// tab's draft.

/** Milliseconds. After a reload, the lock may still belong to the previous page for a moment. */
const ownLockTimeout = 300

/** If more tabs are open, they share the first name. */
const maxNames = 100

interface Held {
  readonly name: string
  readonly release: () => void
}

/** This page's locked drafts, by base name. */
const held = new Map<string, Held>()

/** Undefined if the lock was not granted. */
const lock = (name: string, options: LockOptions): Promise<Held | undefined> =>
  new Promise((resolve) => {
    const hold = (granted: Lock | null) => {
      if (granted === null) {
        resolve(undefined)
        return undefined
      }
      const { promise, resolve: release } = Promise.withResolvers<undefined>()
      resolve({ name, release: () => release(undefined) })
      // The browser releases the lock once this promise is resolved.
      return promise
    }
    navigator.locks.request(name, options, hold).catch(() => resolve(undefined))
  })

const lockFirst = async (names: ReadonlyArray<string>): Promise<Held | undefined> => {
  for (const name of names) {
    const locked = await lock(name, { ifAvailable: true })
    if (locked !== undefined) return locked
  }
  return undefined
}

/** Undefined for a new tab, and for a duplicated tab, whose name the original has locked. */
const lockOwn = async (base: string): Promise<Held | undefined> => {
  const name = readStored(base, "sessionStorage")
  return name === null ? undefined : lock(name, { signal: AbortSignal.timeout(ownLockTimeout) })
}

/** Claims the tab's own draft if it has text, else a closed tab's draft with text, else an empty one. */
const claim = async (base: string, hasText: (value: unknown) => boolean): Promise<string> => {
  // Without HTTPS there are no Web Locks, so all tabs share one draft.
  if (!("locks" in navigator)) return base
  const own = held.get(base) ?? (await lockOwn(base))
  const names = Array.from({ length: maxNames }, (_, index) => (index === 0 ? base : `${base}:${index + 1}`))
  const findOther = async () => {
    const written = names.filter((name) => name !== own?.name && hasText(read(name)))
    return (await lockFirst(written)) ?? own ?? (await lockFirst(names))
  }
  const found = own !== undefined && hasText(read(own.name)) ? own : await findOther()
  if (found === undefined) return base
  if (own !== found) own?.release()
  held.set(base, found)
  // If the browser forbids storage, the draft is found after a reload like that of a closed tab.
  writeStored(base, found.name, "sessionStorage")
  return found.name
}

/** Claims run one at a time. Otherwise a page that is left and reopened could miss its own lock. */
let claims: Promise<unknown> = Promise.resolve()

/**
 * The key of this tab's draft, for `useDraft`; undefined until it is known.
 * @param hasText True if a stored draft is worth continuing.
 */
export const useTabDraftKey = (key: string, hasText: (value: unknown) => boolean): string | undefined => {
  const { caller, workspace } = useMe()
  const owner = `${prefix}${caller.id}:${workspace.id}:`
  const [claimed, setClaimed] = useState<{ readonly of: string; readonly key: string }>()
  useEffect(() => {
    let isCurrent = true
    const run = async () => {
      const base = `${owner}${key}`
      const name = await claim(base, hasText).catch(() => base)
      if (isCurrent) setClaimed({ of: owner, key: name.slice(owner.length) })
    }
    claims = claims.then(run)
    return () => {
      isCurrent = false
    }
  }, [owner, key])
  return claimed?.of === owner ? claimed.key : undefined
}
