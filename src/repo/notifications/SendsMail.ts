import { Context } from "effect"

/** False if the service sends no mail: then notifications await no delivery. */
export const SendsMail = Context.Reference<boolean>("social-publisher/repo/SendsMail", { defaultValue: () => false })
