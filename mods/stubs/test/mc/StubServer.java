import com.mojang.authlib.GameProfile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import net.minecraft.commands.CommandSource;
import net.minecraft.commands.CommandSourceStack;
import net.minecraft.commands.Commands;
import net.minecraft.core.BlockPos;
import net.minecraft.core.registries.BuiltInRegistries;
import net.minecraft.network.chat.Component;
import net.minecraft.resources.ResourceKey;
import net.minecraft.server.MinecraftServer;
import net.minecraft.server.level.ServerLevel;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.server.players.PlayerList;
import net.minecraft.world.damagesource.DamageSource;
import net.minecraft.world.entity.player.Inventory;
import net.minecraft.world.food.FoodData;
import net.minecraft.world.item.ItemStack;
import net.minecraft.world.level.GameType;
import net.minecraft.world.level.block.state.BlockState;
import org.slf4j.Logger;
import stubs.Answers;

/** A server of stubs, with one player and one world, that answers as the game does. */
final class StubServer {
    final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        Thread made = new Thread(work, "Server thread");
        made.setDaemon(true);
        return made;
    });
    final MinecraftServer server = new MinecraftServer();
    final ServerLevel level = new ServerLevel();
    final List<String> ran = new ArrayList<>();
    /** Shared by all servers: the mods keep their logger as long as their class. */
    final List<String> log = LOG;
    private static final List<String> LOG = Collections.synchronizedList(new ArrayList<>());
    final List<ServerPlayer> players = new ArrayList<>();
    private CommandSource source;
    private Object callback;

    StubServer() {
        log.clear();
        Function<Object[], Object> line = args -> log.add((String) args[1]);
        Answers.setStatic("getLogger", Stub.of(Logger.class, "info", line, "warn", line, "error", line));
        Answers.setStatic("tryParse", (Function<Object[], Object>) args -> id((String) args[0]));
        ResourceKey<?> key = Answers.set(new ResourceKey<>(), "location", id("minecraft:overworld"), "identifier", id("minecraft:overworld"));
        Answers.setStatic("create", key);
        Answers.set(BuiltInRegistries.BLOCK, "getKey", id("minecraft:stone"));
        Answers.set(BuiltInRegistries.ITEM, "getKey", id("minecraft:bread"));
        Answers.set(level, "dimension", key, "isInWorldBounds", true, "isLoaded", true, "getBlockState", new BlockState(), "getEntities", List.of(), "isRaining", true,
                "getDayTime", 30_000L, "getOverworldClockTime", 30_000L);
        PlayerList list = Answers.set(new PlayerList(), "getPlayers", players, "getMaxPlayers", 20, "getPlayerCount", (Function<Object[], Object>) args -> players.size(),
                "getPlayerByName", (Function<Object[], Object>) args -> players.isEmpty() ? null : players.get(0));
        CommandSourceStack stack = new CommandSourceStack();
        Answers.set(stack, "withPermission", stack,
                "withSource", (Function<Object[], Object>) args -> {
                    source = (CommandSource) args[0];
                    return stack;
                },
                "withCallback", (Function<Object[], Object>) args -> {
                    callback = args[0];
                    return stack;
                });
        Commands commands = Answers.set(new Commands(), "performPrefixedCommand", (Function<Object[], Object>) args -> run((String) args[1]));
        Answers.set(server, "getPlayerList", list, "getCommands", commands, "createCommandSourceStack", stack, "overworld", level, "getLevel", level,
                "getServerVersion", "1.2.3", "getAverageTickTime", 100f, "getAverageTickTimeNanos", 100_000_000L,
                "execute", (Function<Object[], Object>) args -> {
                    thread.execute((Runnable) args[0]);
                    return null;
                });
    }

    /** As in the game: one slash is removed, wrong commands are reported and not thrown. */
    private Object run(String line) {
        String command = line.startsWith("/") ? line.substring(1) : line;
        ran.add(command);
        if (command.startsWith("throw")) throw new IllegalStateException("the game threw");
        if (command.startsWith("unknown")) {
            source.sendSystemMessage(text("Unknown or incomplete command"));
            return 0;
        }
        source.sendSystemMessage(text("Did " + command));
        try {
            for (var method : callback.getClass().getMethods()) {
                method.setAccessible(true);
                if (method.getName().equals("onResult")) method.invoke(callback, true, 1);
                if (method.getName().equals("onCommandComplete")) method.invoke(callback, null, true, 1);
            }
        } catch (ReflectiveOperationException problem) {
            throw new AssertionError(problem);
        }
        return 1;
    }

    ServerPlayer player(String name) {
        return describe(new ServerPlayer(), name);
    }

    <P extends ServerPlayer> P describe(P player, String name) {
        Answers.set(player.gameMode, "getGameModeForPlayer", Answers.set(new GameType(), "getName", "survival"));
        ItemStack bread = Answers.set(new ItemStack(), "getCount", 3);
        return Answers.set(player, "getGameProfile", Answers.set(new GameProfile(), "getName", name, "name", name), "getUUID", new UUID(1, 2), "getHealth", 18f,
                "getFoodData", Answers.set(new FoodData(), "getFoodLevel", 15), "serverLevel", level, "level", level, "getX", 1.5, "getY", 64.0, "getZ", -3.0,
                "getName", text(name), "getInventory", Answers.set(new Inventory(), "getContainerSize", 1, "getItem", bread));
    }

    BlockPos place() {
        return Answers.set(new BlockPos(1, 2, 3), "getX", 1, "getY", 2, "getZ", 3);
    }

    DamageSource fall() {
        return Answers.set(new DamageSource(), "getLocalizedDeathMessage", text("Steve fell"), "getEntity", player("Zombie"));
    }

    static Component text(String text) {
        return Stub.of(Component.class, "getString", text);
    }

    private static Object id(String id) {
        for (String name : List.of("ResourceLocation", "Identifier")) {
            try {
                return Answers.set(Class.forName("net.minecraft.resources." + name).getDeclaredConstructor().newInstance(), "toString", id);
            } catch (ReflectiveOperationException otherVersion) {
                continue;
            }
        }
        throw new AssertionError("neither name of ids is there");
    }
}
