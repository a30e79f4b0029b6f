import { createContext } from "preact"
import { useContext } from "preact/hooks"

export interface SelectedPosts {
  readonly isOn: boolean
  readonly has: (id: string) => boolean
}

const SelectedContext = createContext<SelectedPosts>({ isOn: false, has: () => false })
export const SelectedProvider = SelectedContext.Provider
export const useSelected = () => useContext(SelectedContext)
