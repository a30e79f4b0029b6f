import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import { encodeAccess } from "../credentials.ts"
import { requestedScopes } from "../link.ts"
import { pageOf } from "./accounts.ts"
import { isPageVideo } from "./pageVideos.ts"
import { facebookPosts, postIdOf } from "./posts.ts"
import { facebookErrorFormat } from "./responses.ts"
import { endless } from "../../meta/standIn/pageTokens.ts"
import { sandboxApplication } from "../../meta/standIn/tokenEndpoints.ts"
import { standInVersion } from "./tokenEndpoints.ts"

export const facebookStandIn: StandIn = {
  platform: "facebook",
  account: pageOf,
  credentials: ({ access }) => encodeAccess({ accessToken: access, scopes: requestedScopes }),
  renewal: { accessLifetime: endless, lifetime: endless, reusableFor: null },
  errorFormat: facebookErrorFormat,
  endpoints: (memory) => facebookPosts(memory),
  postPath: ({ accountId, id }) =>
    isPageVideo(id) ? `/${accountId}/videos/${id}` : /^\d+$/.test(id) ? `/reel/${id}` : `/${id}`,
  otherPostPaths: ["/reel/:id", "/:accountId/videos/:id"],
  identity: ({ id }) => id,
  text: ({ text }) => markEntities(text),
  consent: {
    path: `/${standInVersion}/dialog/oauth`,
    clientId: sandboxApplication.clientId,
    usesPkce: false,
    allows: html`It could create, read and delete posts of the Pages that this person chooses.`
  },
  hint: html`Facebook asks for no password: the page for its consent has a button.`,
  dot: { light: "#0866ff", dark: "#7aabff" },
  example: ({ at, number }) => ({ id: postIdOf("104512345678900", `${at} ${number}`) })
}
