import { useEffect, useState } from "preact/hooks"
import { prefix, read, write } from "./keptDrafts.ts"
import { useMe } from "./session.tsx"

export interface Draft<A> {
  readonly value: A
  readonly set: (value: A) => void
  /** Forgets it, as after it was saved. */
  readonly clear: () => void
  /** Forgets it, and goes on from another value, which is kept only once it is changed. */
  readonly startFrom: (value: A) => void
  /** Whether it was typed before and never saved. */
  readonly isRestored: boolean
}

/**
 * What a person types, kept in this browser until it is saved, for that person and workspace alone.
 *
 * @param key Of what it belongs to, such as `post:ID` or `compose`.
 * @param isValid Whether what was kept still has the form of a value.
 */
export const useDraft = <A>(key: string, initial: A, isValid: (value: unknown) => value is A): Draft<A> => {
  const { caller, workspace } = useMe()
  const name = `${prefix}${caller.id}:${workspace.id}:${key}`
  const restore = () => {
    const kept = read(name)
    return isValid(kept) ? { name, value: kept, isRestored: true } : { name, value: initial, isRestored: false }
  }
  const [state, setState] = useState(restore)
  useEffect(() => {
    setState((current) => (current.name === name ? current : restore()))
  }, [name])
  const startFrom = (value: A) => {
    write(name, undefined)
    setState({ name, value, isRestored: false })
  }
  return {
    value: state.value,
    isRestored: state.isRestored,
    set: (value) => {
      write(name, value)
      setState((current) => ({ ...current, value }))
    },
    clear: () => {
      startFrom(initial)
    },
    startFrom
  }
}
