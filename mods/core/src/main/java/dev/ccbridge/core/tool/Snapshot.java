package dev.ccbridge.core.tool;

import dev.ccbridge.core.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks that a change replaces. Runs of equal blocks are five numbers each: x, y and z of the first one, how many
 * there are towards the east, and the block's place in the palette.
 */
final class Snapshot {
    private final String world;
    private final Map<String, Integer> palette = new LinkedHashMap<>();
    private final List<int[]> runs = new ArrayList<>();

    Snapshot(String world) {
        this.world = world;
    }

    void add(int x, int y, int z, String block) {
        int number = palette.computeIfAbsent(block, unknown -> palette.size());
        int[] last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (last != null && last[4] == number && last[1] == y && last[2] == z && last[0] + last[3] == x) last[3] += 1;
        else runs.add(new int[] {x, y, z, 1, number});
    }

    Map<String, Object> toJson() {
        List<Object> numbers = new ArrayList<>();
        for (int[] run : runs) {
            for (int number : run) numbers.add(number);
        }
        return Json.object("world", world, "palette", List.copyOf(palette.keySet()), "runs", numbers, "exact", true);
    }
}
