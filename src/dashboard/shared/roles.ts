import type { Role } from "../../domain/people/role.ts"

export const roleNames: Readonly<Record<Role, string>> = { viewer: "Viewer", editor: "Editor", admin: "Admin" }
