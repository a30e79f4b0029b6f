import { isOpen } from "../../api/postStatus.ts"
import type { Action } from "./action.ts"

export const edit: Action = { label: "Edit", icon: "pencil", scope: "posts:write", fits: isOpen }

export const editPath = (id: string): string => `/compose?post=${encodeURIComponent(id)}`

export const duplicate: Action = { label: "Duplicate", icon: "copy", scope: "posts:write", fits: () => true }

export const move: Action = { label: "Move to…", icon: "calendar", scope: "posts:write", fits: isOpen }
