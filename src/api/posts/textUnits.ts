import { livePlatforms } from "../../domain/plain/platforms.ts"
import { liveFacts } from "../../platforms/facts.ts"

/** The units in which the live platforms count a text, in a sentence. */
export const textUnits = livePlatforms.map((platform) => `${liveFacts[platform].textUnit} on ${platform}`).join(", ")
