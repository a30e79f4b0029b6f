import { useMedia } from "../../ui/useMedia.ts"

const compact = window.matchMedia("(width < 720px) or (height < 540px)")

/** True on phones, and in windows at 200% zoom. */
export const useCompact = (): boolean => useMedia(compact)
