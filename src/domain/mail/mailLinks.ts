/** The page behind `List-Unsubscribe`. */
export const mailOffPath = "/mail/off"

export const mailSettingsPath = "/settings/notifications"
