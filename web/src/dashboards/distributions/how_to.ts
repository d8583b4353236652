// The shortest programs that log a histogram.

import type { HowTo } from "../../cards/dashboards";
import { inside, LOG_HISTOGRAMS } from "../examples";

export default {
  shows:
    "For every histogram that is logged at steps, how its values spread over time: smallest, median, largest and what lies between.",
  examples: [
    ...LOG_HISTOGRAMS,
    {
      label: "TensorFlow",
      code: (folder) => `import tensorflow as tf

writer = tf.summary.create_file_writer(${inside(folder, "first")})
with writer.as_default():
    for step in range(100):
        tf.summary.histogram("weights", tf.random.normal([1000]), step=step)
writer.close()`,
    },
  ],
} satisfies HowTo;
