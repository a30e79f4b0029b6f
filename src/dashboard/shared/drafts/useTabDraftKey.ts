import { useEffect, useState } from "preact/hooks"
import { readStored, writeStored } from "../../store/browserStorage.ts"
import { useMe } from "../me.ts"
import { prefix, read } from "./keptDrafts.ts"

/** In milliseconds. After a reload, the previous page may still hold the lock. */
const ownLockTimeout = 300

interface Held {
  readonly name: string
  readonly release: () => void
}

/** This tab's drafts by base name, locked until the tab is closed. */
const held = new Map<string, Held>()

/** Undefined if another tab holds the lock. */
const lock = (name: string, options: LockOptions): Promise<Held | undefined> =>
  new Promise((resolve) => {
    const taken = (isFree: boolean) => {
      if (!isFree) {
        resolve(undefined)
        return undefined
      }
      const { promise, resolve: release } = Promise.withResolvers<undefined>()
      resolve({
        name,
        release: () => {
          release(undefined)
        }
      })
      return promise
    }
    navigator.locks
      .request(name, options, (granted) => taken(granted !== null))
      .catch(() => {
        resolve(undefined)
      })
  })

const lockFree = (name: string) => lock(name, { ifAvailable: true })

/** Names for concurrent tabs. Further tabs share the first name. */
const allNames = (base: string): ReadonlyArray<string> => [
  base,
  ...Array.from({ length: 99 }, (_, index) => `${base}:${index + 2}`)
]

const lockFirst = async (names: ReadonlyArray<string>): Promise<Held | undefined> => {
  for (const name of names) {
    const locked = await lockFree(name)
    if (locked !== undefined) return locked
  }
  return undefined
}

/** Claims the tab's own draft if it has text, or else a closed tab's draft, or else an empty one. */
const claim = async (base: string, hasText: (value: unknown) => boolean): Promise<string> => {
  // Insecure origins have no Web Locks, so all tabs share one draft.
  if (!("locks" in navigator)) return base
  // Survives reloads. A duplicated tab gets a copy of the name.
  const ownName = readStored(base, "sessionStorage")
  const own =
    held.get(base) ??
    (ownName === null ? undefined : await lock(ownName, { signal: AbortSignal.timeout(ownLockTimeout) }))
  const keep = (locked: Held): string => {
    if (own !== undefined && own !== locked) own.release()
    held.set(base, locked)
    // If storage is forbidden, the text counts as that of a closed tab after a reload.
    writeStored(base, locked.name, "sessionStorage")
    return locked.name
  }
  if (own !== undefined && hasText(read(own.name))) return keep(own)
  const written = allNames(base).filter((name) => name !== own?.name && hasText(read(name)))
  const free = (await lockFirst(written)) ?? own ?? (await lockFirst(allNames(base)))
  return free === undefined ? base : keep(free)
}

/** Claims run one at a time: a page that was left and reopened finds its own lock. */
let claims: Promise<unknown> = Promise.resolve()

/**
 * A draft that no other open tab holds, for `useDraft`; undefined until known.
 * @param hasText True if a kept draft is worth continuing.
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
