import { useEffect, useState } from "preact/hooks"
import { useMe } from "../me.ts"
import { prefix, read } from "./keptDrafts.ts"

/** How long the tab's own lock is waited for, in milliseconds. After a reload the page before may still hold it. */
const ownLockTimeout = 300

interface Held {
  readonly name: string
  readonly release: () => void
}

/** The drafts of this tab by what they are of, locked until the tab is closed. */
const held = new Map<string, Held>()

/** Locks a draft, which other tabs can't have then. Undefined where another tab has it. */
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

/** The name of the tab's own draft, which the browser keeps over reloads. A tab that is a copy of another has a copy of it. */
const readOwn = (base: string): string | null => {
  try {
    return window.sessionStorage.getItem(base)
  } catch {
    return null
  }
}

const writeOwn = (base: string, name: string) => {
  try {
    window.sessionStorage.setItem(base, name)
  } catch {
    // The browser forbids it: a reload finds the text as that of a tab that was closed.
  }
}

/** One name for each tab that writes at a time. Tabs beyond the last share the first. */
const allNames = (base: string): ReadonlyArray<string> => [
  base,
  ...Array.from({ length: 99 }, (_, index) => `${base}:${index + 2}`)
]

/** Locks the first draft that no other tab has. */
const lockFirst = async (names: ReadonlyArray<string>): Promise<Held | undefined> => {
  for (const name of names) {
    const locked = await lockFree(name)
    if (locked !== undefined) return locked
  }
  return undefined
}

/** Names the tab's own draft where it has text, or else that of a tab that was closed, or else an empty one. */
const claim = async (base: string, hasText: (value: unknown) => boolean): Promise<string> => {
  // Browsers have no locks without a secure origin: all tabs share one draft.
  if (!("locks" in navigator)) return base
  const ownName = readOwn(base)
  const own =
    held.get(base) ??
    (ownName === null ? undefined : await lock(ownName, { signal: AbortSignal.timeout(ownLockTimeout) }))
  const keep = (locked: Held): string => {
    if (own !== undefined && own !== locked) own.release()
    held.set(base, locked)
    writeOwn(base, locked.name)
    return locked.name
  }
  if (own !== undefined && hasText(read(own.name))) return keep(own)
  const written = allNames(base).filter((name) => name !== own?.name && hasText(read(name)))
  const free = (await lockFirst(written)) ?? own ?? (await lockFirst(allNames(base)))
  return free === undefined ? base : keep(free)
}

/** Claims take their turns, so that a page that is left and opened again finds what it has locked. */
let claims: Promise<unknown> = Promise.resolve()

/**
 * The key of a draft that no other open tab of the browser has, for `useDraft`; undefined until it is known.
 *
 * @param hasText Whether what is kept is worth going on with.
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
