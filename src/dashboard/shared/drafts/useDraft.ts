import { useLayoutEffect, useMemo } from "preact/hooks"
import { watchIdentity } from "../../api/identity.ts"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { useMe } from "../me.ts"
import { writeStored } from "../../store/browserStorage.ts"
import { baseOf, draftChanges, isKept, namesOf, prefix, read, write } from "./keptDrafts.ts"
import { tabNames } from "./tabNames.ts"

export interface Draft<A> {
  readonly value: A
  /** Passes the current value to the function, because a slow caller, such as an upload, may have an earlier one. */
  readonly change: (change: (value: A) => A) => void
  readonly clear: () => void
  /** Uses a new value, but stores it only once it is changed. */
  readonly startFrom: (value: A) => void
  /** Keeps the value under another key from now on. If the service has it, the browser need not store it. */
  readonly keepAs: (key: string, isSaved: boolean) => void
  /** True if the value was typed earlier but never saved. */
  readonly isRestored: boolean
  /** True if another tab has changes of the same post. */
  readonly hasOther: boolean
}

interface DraftRules<A> {
  /** Decodes the stored value; undefined if it is invalid. */
  readonly restore: (kept: unknown, initial: A) => A | undefined
  /** True if the browser need not store a value, because it says what the initial value says. */
  readonly isUnchanged?: (value: A, initial: A) => boolean
}

interface Place {
  name: string
  isTyped: boolean
}

/**
 * Two tabs can share a draft, because a browser without Web Locks can't tell them apart. If another tab removes the
 * draft, this tab's text stays. If another tab stores its own text, this tab's text moves to a name of its own.
 */
const useKeptAgain = (place: Place, keepAgain: () => void) => {
  useLayoutEffect(() => {
    const isSamePerson = watchIdentity()
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key !== place.name || !place.isTyped || !isSamePerson()) return
      if (newValue !== null) {
        const base = baseOf(place.name)
        place.name = tabNames(base).find((name) => !isKept(name)) ?? place.name
        writeStored(base, place.name, "sessionStorage")
      }
      keepAgain()
    }
    window.addEventListener("storage", onStorage)
    return () => window.removeEventListener("storage", onStorage)
  }, [place])
}

/**
 * Keeps typed text in this browser until it is saved, for this person and workspace only.
 * @param key What the draft belongs to, such as `post:ID` or `compose`.
 */
export const useDraft = <A>(key: string, initial: A, { isUnchanged, restore }: DraftRules<A>): Draft<A> => {
  const { caller, workspace } = useMe()
  const owner = `${prefix}${caller.id}:${workspace.id}:`
  const name = `${owner}${key}`
  const { place, state } = useMemo(() => {
    const kept = restore(read(name), initial)
    return {
      /** `isTyped`: this page has stored a value that is not saved yet. */
      place: { name, isTyped: false },
      state: makeStore({ value: kept ?? initial, isRestored: kept !== undefined })
    }
  }, [name])
  const keep = (value: A | undefined) => {
    place.isTyped = value !== undefined
    write(place.name, value)
  }
  const startFrom = (value: A) => {
    keep(undefined)
    state.set({ value, isRestored: false })
  }
  useKeptAgain(place, () => keep(state.get().value))
  useStore(draftChanges)
  return {
    ...useStore(state),
    change: (change) => {
      const { isRestored, value: before } = state.get()
      const value = change(before)
      if (Object.is(value, before)) return
      keep(isUnchanged?.(value, initial) === true ? undefined : value)
      state.set({ value, isRestored })
    },
    clear: () => startFrom(initial),
    startFrom,
    keepAs: (other, isSaved) => {
      keep(undefined)
      const base = `${owner}${other}`
      if (baseOf(place.name) !== base) place.name = tabNames(base).find((free) => !isKept(free)) ?? base
      if (!isSaved) keep(state.get().value)
      else state.set({ ...state.get(), isRestored: false })
    },
    hasOther: namesOf(baseOf(place.name)).some((other) => other !== place.name)
  }
}
