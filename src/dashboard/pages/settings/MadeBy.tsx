import type { KeyJson } from "../../api/keys.ts"

/** Nothing if unknown. */
export const MadeBy = ({ author, verb = "Made" }: { readonly author: KeyJson["created_by"]; readonly verb?: string }) =>
  author?.name === undefined ? null : (
    <>
      {" "}
      · {verb} by {author.name}
    </>
  )
