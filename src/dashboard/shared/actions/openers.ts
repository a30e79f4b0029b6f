import { isOpen } from "../../api/postStatus.ts"
import type { Action } from "./action.ts"

/** Opens a post in the composer. */
export const edit: Action = { label: "Edit", icon: "pencil", scope: "posts:write", fits: isOpen }

export const editPath = (id: string): string => `/compose?post=${encodeURIComponent(id)}`

/** Copies a post to a draft, and opens the draft in the composer. */
export const duplicate: Action = { label: "Duplicate", icon: "copy", scope: "posts:write", fits: () => true }

/** Asks for another time. */
export const move: Action = { label: "Move to…", icon: "calendar", scope: "posts:write", fits: isOpen }
