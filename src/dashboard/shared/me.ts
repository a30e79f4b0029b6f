import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Scope } from "../../domain/people/apiKey.ts"
import type { Me } from "../api/session.ts"

const MeContext = createContext<Me | undefined>(undefined)
export const MeProvider = MeContext.Provider

export const useMe = (): Me => {
  const me = useContext(MeContext)
  if (me === undefined) throw new Error("useMe is for pages within the shell")
  return me
}

export const useCan = (): ((scope: Scope) => boolean) => {
  const { caller } = useMe()
  return (scope) => caller.scopes.includes(scope)
}
