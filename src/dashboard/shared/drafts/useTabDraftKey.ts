import { useEffect, useState } from "preact/hooks"
import { readStored, writeStored } from "../../store/browserStorage.ts"
import { useMe } from "../me.ts"
import { prefix, read } from "./keptDrafts.ts"
import { tabNames } from "./tabNames.ts"

// Each open tab has a draft of its own. The tab holds the Web Lock of the draft's name until it is closed, or until it
// shows another page, so a draft without a lock belongs to nobody. After a reload, `sessionStorage` still has the name
// of the tab's draft.

/** Milliseconds. After a reload, the lock may still belong to the previous page for a moment. */
const ownLockTimeout = 300

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
  const names = tabNames(base)
  // Without HTTPS there are no Web Locks, so tabs share a draft until they store different texts.
  if (!("locks" in navigator)) {
    const own = readStored(base, "sessionStorage") ?? base
    return [own, ...names].find((name) => hasText(read(name))) ?? base
  }
  const own = held.get(base) ?? (await lockOwn(base))
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

const release = (base: string) => {
  held.get(base)?.release()
  held.delete(base)
}

interface TabDraftOptions {
  /** True if a stored draft is worth continuing. */
  readonly hasText: (value: unknown) => boolean
  /** True if another tab can continue the draft as soon as this tab shows another page. */
  readonly isReleased?: boolean
}

/** The key of this tab's draft, for `useDraft`; undefined until it is known. */
export const useTabDraftKey = (key: string, { hasText, isReleased = false }: TabDraftOptions): string | undefined => {
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
      if (isReleased) claims = claims.then(() => release(`${owner}${key}`))
    }
  }, [owner, key])
  return claimed?.of === owner ? claimed.key : undefined
}
