import type { Role } from "../../domain/people/role.ts"
import { roles } from "../../domain/plain/access.ts"

export const roleNames: Readonly<Record<Role, string>> = { viewer: "Viewer", editor: "Editor", admin: "Admin" }

export const roleTexts: Readonly<Record<Role, string>> = {
  viewer: "Reads posts, accounts and notifications",
  editor: "Also writes, schedules, approves and deletes posts",
  admin: "Also connects accounts and manages keys, webhooks and members"
}

export const isRole = (name: string): name is Role => roles.some((role) => role === name)
