{
  imports = [ ./twinfold.nix ];
  services.twinfold = {
    enable = true;
    settings = {
      devices = [
        {
          id = "MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD";
          name = "nas";
          addresses = [ "tcp://192.0.2.10:22000" "dynamic" ];
        }
      ];
      folders = [
        {
          id = "photos";
          path = "/srv/photos";
          devices = [ "nas" ];
          ignores = [ "*.tmp" ];
        }
      ];
    };
  };
}
