import { livePlatforms } from "../../domain/plain/platforms.ts"
import { liveFacts } from "../../platforms/facts.ts"

export const textUnits = livePlatforms.map((platform) => `${liveFacts[platform].textUnit} on ${platform}`).join(", ")
