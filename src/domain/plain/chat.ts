export const channelKinds = ["slack", "discord", "mattermost"] as const
export type ChannelKind = (typeof channelKinds)[number]

export const channelKindNames: Readonly<Record<ChannelKind, string>> = {
  slack: "Slack",
  discord: "Discord",
  mattermost: "Mattermost"
}
