import type { Role } from "../../../domain/people/role.ts"
import { roles } from "../../../domain/plain/access.ts"
import { roleNames } from "../../shared/roles.ts"

export const roleTexts: Readonly<Record<Role, string>> = {
  viewer: "Reads posts, accounts and notifications",
  editor: "Also writes, schedules, approves and deletes posts",
  admin: "Also connects accounts and manages keys, webhooks and members"
}

export const roleOptions = roles.map((role) => [role, roleNames[role]] as const)
