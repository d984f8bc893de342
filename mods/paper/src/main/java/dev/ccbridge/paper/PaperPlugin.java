package dev.ccbridge.paper;

import dev.ccbridge.core.ModBridge;
import dev.ccbridge.core.Platform;
import dev.ccbridge.core.log.Level;
import java.nio.file.Path;
import org.bukkit.Bukkit;
import org.bukkit.plugin.java.JavaPlugin;

/** The plugin for Paper and its forks: links the server while it is enabled. */
public final class PaperPlugin extends JavaPlugin {
    private ModBridge bridge;

    @Override
    public void onEnable() {
        // The same path as for the agent and the mods.
        Path settings = Path.of("config", "minecraft-mcp-bridge.toml");
        bridge = ModBridge.start(new Platform(
                settings,
                Bukkit.getName(),
                Bukkit.getMinecraftVersion(),
                getDescription().getVersion(),
                new PaperGame(),
                new PaperThread(this),
                this::write));
        Bukkit.getPluginManager().registerEvents(new PaperEvents(bridge.events()), this);
    }

    @Override
    public void onDisable() {
        if (bridge != null) bridge.stop();
    }

    private void write(Level level, String line) {
        switch (level) {
            case ERROR -> getLogger().severe(line);
            case WARN -> getLogger().warning(line);
            default -> getLogger().info(line);
        }
    }
}
