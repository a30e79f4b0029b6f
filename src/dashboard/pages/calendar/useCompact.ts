import { useMedia } from "../../ui/useMedia.ts"

const compact = window.matchMedia("(width < 720px) or (height < 540px)")

/** Whether posts find no place in a grid, as on a phone, or in a window that is enlarged to twice its size. */
export const useCompact = (): boolean => useMedia(compact)
